// C++ wrapper of tvmq_delegate.h and tvmq_network.h.
#pragma once
extern "C" {
#include "tvmq_delegate.h"  // IWYU pragma: export
#include "tvmq_network.h"   // IWYU pragma: export
}
