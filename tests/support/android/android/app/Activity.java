// A stub of ours: just what the sample app needs to compile.
package android.app;
public class Activity extends android.content.Context {
  protected void onCreate(android.os.Bundle state) { }
  public void setContentView(android.view.View view) { }
  public final void runOnUiThread(Runnable action) { }
}
