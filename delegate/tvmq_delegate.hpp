// tvmq_delegate.h for C++.
#pragma once
extern "C" {
#include "tvmq_delegate.h"  // IWYU pragma: export
}
