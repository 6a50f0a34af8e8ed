// A stub of ours: just what the sample app needs to compile.
package android.content.res;
public final class AssetManager {
  public AssetFileDescriptor openFd(String name) throws java.io.IOException { return null; }
}
