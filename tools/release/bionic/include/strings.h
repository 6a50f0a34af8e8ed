#pragma once
int strcasecmp(const char *a, const char *b);
