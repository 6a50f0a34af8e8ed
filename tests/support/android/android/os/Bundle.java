// A stub of ours: just what the sample app needs to compile.
package android.os;
public final class Bundle { }
