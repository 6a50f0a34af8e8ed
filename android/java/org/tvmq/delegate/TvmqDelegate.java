package org.tvmq.delegate;

import java.util.LinkedHashMap;
import java.util.Map;
import org.tensorflow.lite.Delegate;

/**
 * The delegate for runtimes whose Interpreter.Options has addDelegate: TensorFlow Lite, and LiteRT before 2.1.
 *
 * <pre>{@code
 * try (TvmqDelegate delegate = new TvmqDelegate.Builder().set("num_threads", 2).build()) {
 *   Interpreter interpreter = new Interpreter(model, new Interpreter.Options().addDelegate(delegate));
 *   ...
 *   interpreter.close();  // before the delegate
 * }
 * }</pre>
 *
 * A delegate serves one interpreter, and must be closed after it.
 */
public final class TvmqDelegate implements Delegate, AutoCloseable {
  static {
    System.loadLibrary("tvmq_delegate_jni");
  }

  private long handle;

  /** A delegate with the default options. */
  public TvmqDelegate() {
    this(new Builder());
  }

  TvmqDelegate(Builder builder) {
    handle = create(builder.names(), builder.values());
  }

  /** The address of the native delegate, for the runtime. */
  @Override
  public long getNativeHandle() {
    if (handle == 0) throw new IllegalStateException("the delegate is closed");
    return handle;
  }

  /** Releases the native delegate; a second call does nothing. */
  @Override
  public void close() {
    if (handle != 0) destroy(handle);
    handle = 0;
  }

  /** How many of the model's nodes the delegate has taken, once an interpreter has it. */
  public int claimedNodes() {
    return claimed(getNativeHandle());
  }

  /** The version of the library. */
  public static native String version();

  /** Options by their names; those that are not set stay at their defaults. */
  public static final class Builder {
    private final Map<String, String> options = new LinkedHashMap<>();

    /** One option. Whether there is such a one, and what it may be, build() finds out. */
    public Builder set(String name, Object value) {
      options.put(name, String.valueOf(value));
      return this;
    }

    /**
     * The delegate.
     *
     * @throws IllegalArgumentException an option is unknown or has a value that it cannot have.
     */
    public TvmqDelegate build() {
      return new TvmqDelegate(this);
    }

    String[] names() {
      return options.keySet().toArray(new String[0]);
    }

    String[] values() {
      return options.values().toArray(new String[0]);
    }
  }

  private static native long create(String[] names, String[] values);

  private static native void destroy(long handle);

  private static native int claimed(long handle);
}
