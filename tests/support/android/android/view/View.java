// A stub of ours: just what the sample app needs to compile.
package android.view;
public class View {
  public View(android.content.Context context) { }
}
