/* WebSocket frames as bytes: what clients send is masked, what servers send is not (RFC 6455, 5.2). */
#include "load.h"

#include <string.h>

static const unsigned char MASK[4] = {0x37, 0xfa, 0x21, 0x3d};

size_t put_frame(unsigned char *to, int opcode, const void *payload, size_t size)
{
    const unsigned char *bytes = payload;
    size_t at = 0;
    to[at++] = 0x80 | opcode;
    if (size < 126) {
        to[at++] = 0x80 | size;
    } else {
        to[at++] = 0x80 | 126;
        to[at++] = size >> 8;
        to[at++] = size & 255;
    }
    memcpy(to + at, MASK, sizeof MASK);
    at += sizeof MASK;
    for (size_t i = 0; i < size; i++)
        to[at++] = bytes[i] ^ MASK[i & 3];
    return at;
}

/* The first frame, if all of it is there. */
bool take_frame(const unsigned char *bytes, size_t size, Frame *frame)
{
    if (size < 2)
        return false;
    size_t head = 2, length = bytes[1] & 127;
    if (length >= 126) {
        head = length == 126 ? 4 : 10;
        if (size < head)
            return false;
        length = 0;
        for (size_t i = 2; i < head; i++)
            length = length << 8 | bytes[i];
    }
    if (size - head < length)
        return false;
    *frame = (Frame){bytes[0] & 15, bytes + head, length, head + length};
    return true;
}

/* Behind `wanted`, or NULL; JSON is written with or without a space behind its colons. */
static const char *behind(const char *from, const char *end, const char *wanted)
{
    const char *found = memmem(from, end - from, wanted, strlen(wanted));
    if (!found)
        return NULL;
    found += strlen(wanted);
    return found + (found < end && *found == ' ');
}

/* The type, if the text begins with one as all frames of a quiz do; its size goes to `length`. */
const char *type_of(const char *text, size_t size, size_t *length)
{
    static const char HEAD[] = "{\"type\":";
    if (size < sizeof HEAD + 2 || memcmp(text, HEAD, sizeof HEAD - 1))
        return NULL;
    const char *type = text + sizeof HEAD - 1;
    type += *type == ' ';
    type += *type == '"';
    const char *last = memchr(type, '"', text + size - type);
    *length = last ? last - type : 0;
    return last ? type : NULL;
}

bool is_type(const char *text, size_t size, const char *wanted)
{
    size_t length;
    const char *type = type_of(text, size, &length);
    return type && length == strlen(wanted) && !memcmp(type, wanted, length);
}

/* The value, a text or a number, of the first member of that name behind `after` (NULL: anywhere). */
bool member(const char *text, size_t size, const char *after, const char *name, char *to, size_t room)
{
    const char *end = text + size, *from = after ? behind(text, end, after) : text;
    from = from ? behind(from, end, name) : NULL;
    if (!from)
        return false;
    bool quoted = from < end && *from == '"';
    from += quoted;
    size_t taken = 0;
    while (from < end && taken + 1 < room && (quoted ? *from != '"' : *from != ',' && *from != '}'))
        to[taken++] = *from++;
    to[taken] = 0;
    return true;
}
