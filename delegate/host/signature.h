// The signature of a node says in words what it is to the choice of its computation: nodes of equal signatures have the same candidates, which take the same
// time.
#pragma once

#include "base/text.h"
#include "host/delegate.h"

enum { TVMQ_SIGNATURE_SIZE = 512 };

// Writes the signature of an operator of the record's node that is planned for `desc`: "" if it leaves no choice.
void tvmq_sign(const struct tvmq_record *record, const union tvmq_desc *desc, const struct tvmq_env *env, char text[TVMQ_SIGNATURE_SIZE]);
