/* What is measured: latencies, frames by type, and what the server and we ourselves cost meanwhile. */
#include "load.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

bool recording;
uint64_t sent_total, heard_total, in_window;
Nanos idle_ns;

static struct {
    char name[TYPE_MAX];
    uint64_t count;
} types[TYPES_MAX];
static int type_count, last_type;

static bool is_named(int which, const char *name, size_t length)
{
    return !strncmp(types[which].name, name, length) && !types[which].name[length];
}

static int type_named(const char *name, size_t length)
{
    for (int i = 0; i < type_count; i++)
        if (is_named(i, name, length))
            return i;
    if (type_count == TYPES_MAX)
        fail("too many types of frames");
    memcpy(types[type_count].name, name, length);
    return type_count++;
}

static Nanos window_began, window_ended;
static double server_began, server_spent, own_spent;
static Nanos own_began;

/* Log-linear: 64 steps to each power of two, so that no value is off by more than 1.6 %. */
void record(Histogram *histogram, Nanos value)
{
    if (!recording)
        return;
    int shift = value < 64 ? 0 : 58 - __builtin_clzll(value);
    size_t index = (size_t)shift * 64 + ((value >> shift) & 63);
    histogram->counts[index < 4096 ? index : 4095]++;
    histogram->total++;
}

double percentile_us(const Histogram *histogram, double share)
{
    uint64_t wanted = histogram->total * share, seen = 0;
    for (size_t i = 0; i < 4096; i++) {
        seen += histogram->counts[i];
        if (seen > wanted)
            return ((i & 63) + 0.5) * (double)(1ull << (i / 64)) / 1000;
    }
    return 0;
}

/* Frames of our own protocol say their type; all others are counted as one. */
void tally(const char *text, size_t size)
{
    size_t length;
    const char *name = type_of(text, size, &length);
    if (!name || length >= TYPE_MAX)
        name = "other", length = 5;
    heard_total++;
    if (!is_named(last_type, name, length))
        last_type = type_named(name, length);
    types[last_type].count++;
}

void print_tally(void)
{
    printf("\"sent\":%lu,\"heard\":%lu,\"types\":{", sent_total, heard_total);
    for (int i = 0; i < type_count; i++)
        printf("%s\"%s\":%lu", i ? "," : "", types[i].name, types[i].count);
    printf("}");
}

Nanos processor_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return time.tv_sec * SECOND + time.tv_nsec;
}

static double thread_seconds(const char *thread)
{
    char path[320];
    unsigned long ran = 0;
    snprintf(path, sizeof path, "/proc/%d/task/%s/schedstat", options.pid, thread);
    FILE *file = fopen(path, "r");
    if (!file)
        return 0; /* it has just ended */
    if (fscanf(file, "%lu", &ran) != 1)
        ran = 0;
    fclose(file);
    return ran / 1e9;
}

/* The processor time that the server's threads have used so far; /proc/PID/stat counts in steps of 10 ms. */
double server_seconds(void)
{
    char path[64];
    double sum = 0;
    snprintf(path, sizeof path, "/proc/%d/task", options.pid);
    DIR *threads = opendir(path);
    if (!threads)
        return 0;
    for (struct dirent *entry; (entry = readdir(threads));)
        if (*entry->d_name != '.') /* below ".." is the first thread once more */
            sum += thread_seconds(entry->d_name);
    closedir(threads);
    return sum;
}

long resident_bytes(void)
{
    char path[64];
    long pages = 0;
    snprintf(path, sizeof path, "/proc/%d/statm", options.pid);
    FILE *file = fopen(path, "r");
    if (!file)
        return 0;
    if (fscanf(file, "%*d %ld", &pages) != 1)
        pages = 0;
    fclose(file);
    return pages * sysconf(_SC_PAGESIZE);
}

void begin_window(Nanos now)
{
    recording = true;
    window_began = now;
    server_began = server_seconds();
    own_began = processor_ns();
    idle_ns = 0;
    in_window = 0;
}

void end_window(Nanos now)
{
    recording = false;
    window_ended = now;
    server_spent = server_seconds() - server_began;
    own_spent = (processor_ns() - own_began - idle_ns) / 1e9;
}

void print_window(void)
{
    double seconds = (window_ended - window_began) / 1e9;
    printf("\"seconds\":%.3f,\"per_s\":%.1f,\"counted\":%lu,\"client_cpu\":%.3f,\"server_cpu\":%.3f",
           seconds, in_window / seconds, in_window, own_spent / seconds, server_spent / seconds);
}
