// The plan of an open network as the functions of a compiled one read it (compiled/compiled.h).
#pragma once

#include "base/recording.h"
#include "base/text.h"
#include "compiled/compiled.h"
#include "network/network.h"

// Makes the plan of a network whose recording is on, and adds to the recording what else the plan points to. Returns
// NULL if the network cannot be compiled; then *why says why not.
struct tvmq_compiled *tvmq_flat_plan(const struct tvmq_network *network, struct tvmq_recording *recording, struct tvmq_text *why);
void tvmq_flat_plan_free(struct tvmq_compiled *plan);  // NULL is fine
