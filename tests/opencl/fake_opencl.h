// An OpenCL library with one device and no compiler: its kernels are one that passes the self-test, and others that fill
// what they may write with FAKE_OPENCL_BYTE. Tests find the following functions in it by dlsym().
#pragma once

enum { FAKE_OPENCL_BYTE = 0x77 };

// Faults of the device: what it claims to be, or does wrong.
enum fake_opencl_fault {
  FAKE_OPENCL_SOUND,
  FAKE_OPENCL_NO_DEVICE,
  FAKE_OPENCL_NO_COMPILER,
  FAKE_OPENCL_NO_FMA,
  FAKE_OPENCL_OLD,
  FAKE_OPENCL_GPU_WITHOUT_DOT,
  FAKE_OPENCL_WRONG_SUM  // one result of the self-test is off by one
};

typedef void fake_opencl_fail_fn(int call);  // the call with this number fails, where 1 is the next; 0: none
typedef int fake_opencl_calls_fn(void);      // number of calls since then
typedef void fake_opencl_fault_fn(enum fake_opencl_fault fault);
typedef int fake_opencl_live_fn(void);  // objects that have not been released
