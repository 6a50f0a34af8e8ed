// A stub of ours: just what the sample app needs to compile.
package org.tensorflow.lite;
public final class Interpreter implements AutoCloseable {
  public static class Options {
    public Options setNumThreads(int n) { return this; }
    public Options addDelegate(Delegate delegate) { return this; }
  }
  public Interpreter(java.nio.ByteBuffer model, Options options) { }
  public void run(Object input, Object output) { }
  public Tensor getInputTensor(int index) { return null; }
  public Tensor getOutputTensor(int index) { return null; }
  public void close() { }
}
