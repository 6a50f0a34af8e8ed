// A stub of ours: just what the sample app needs to compile.
package org.tensorflow.lite;
public interface Tensor { int numBytes(); }
