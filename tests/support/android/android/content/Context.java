// A stub of ours: just what the sample app needs to compile.
package android.content;
public abstract class Context {
  public android.content.res.AssetManager getAssets() { return null; }
}
