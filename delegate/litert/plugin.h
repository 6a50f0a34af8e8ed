// The delegate's own library, which libraries that hand out delegates load when the first network is opened.
#pragma once

#include "litert/configuration.h"
#include "tvmq_delegate.h"

// Logs an error of the delegate as one of `whose`.
void tvmq_plugin_complain(const char *whose, const char *what);

// Loads the library at the first call and never unloads it. On failure, calls `complain` and returns false.
bool tvmq_plugin_load(const struct tvmq_configuration *configuration, void (*complain)(const char *what));

// The library's functions, once it is loaded. On failure, create calls `complain` and returns NULL.
void *tvmq_plugin_create(const struct tvmq_settings *settings, void (*complain)(const char *what));
void tvmq_plugin_destroy(void *delegate);

// Returns what tvmq_get_delegate() of the library does, or NULL if the library has no such function.
const struct tvmq_delegate_info *tvmq_plugin_info(const void *delegate);
