// C++ wrapper of tvmq_delegate.h.
#pragma once
extern "C" {
#include "tvmq_delegate.h"  // IWYU pragma: export
}
