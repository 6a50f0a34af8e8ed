#pragma once
#include <stdarg.h>
#include <stddef.h>
typedef struct __sFILE FILE;
extern FILE *stderr;
FILE *fopen(const char *path, const char *mode);
int fclose(FILE *file);
int ferror(FILE *file);
int fileno(FILE *file);
int fgetc(FILE *file);
char *fgets(char *text, int size, FILE *file);
size_t fread(void *to, size_t size, size_t n, FILE *file);
int fprintf(FILE *file, const char *format, ...) __attribute__((format(printf, 2, 3)));
int snprintf(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
int vsnprintf(char *text, size_t size, const char *format, va_list arguments) __attribute__((format(printf, 3, 0)));
int fscanf(FILE *file, const char *format, ...) __attribute__((format(scanf, 2, 3)));
int sscanf(const char *text, const char *format, ...) __attribute__((format(scanf, 2, 3)));
int rename(const char *from, const char *to);
