/* GPU-proportional shares, first fit in policy order, on clusters of one group: a plug-in without a
 * JSON library. cc -O2 -o proportional proportional.c
 *
 * The messages have their fields in the order of the schema, one message per line, so that looking
 * for a key is enough. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_CLASSES 100000

struct class { long gpus; double cpus, memory_gb; };
static struct class classes[MOST_CLASSES];
static long servers, server_gpus;

/* What follows the next `key` after `*at`; moves on to it. */
static double number_after(char **at, const char *key) {
    *at = strstr(*at, key);
    if (*at == NULL) { fprintf(stderr, "no %s\n", key); exit(1); }
    *at += strlen(key);
    return strtod(*at, at);
}

static void allocate(char *line) {
    char *at = line;
    long *free_gpus = malloc(servers * sizeof *free_gpus);
    for (long s = 0; s < servers; s++) free_gpus[s] = server_gpus;
    printf("{\"type\":\"allocation\",\"round\":%ld,\"jobs\":[", (long)number_after(&at, "\"round\":"));
    at = strstr(at, "\"jobs\":[") + 8;
    const char *separator = "";
    while ((at = strchr(at, '[')) != NULL) { /* [job, class, weight] */
        long job = strtol(at + 1, &at, 10), class = strtol(at + 1, &at, 10);
        struct class c = classes[class];
        for (long s = 0; s < servers; s++) {
            if (free_gpus[s] < c.gpus) continue;
            free_gpus[s] -= c.gpus;
            printf("%s{\"job\":%ld,\"parts\":[{\"server\":%ld,\"gpus\":%ld,\"cpus\":%.17g,\"memory_gb\":%.17g}]}",
                   separator, job, s, c.gpus, c.cpus, c.memory_gb);
            separator = ",";
            break;
        }
    }
    printf("]}\n");
    free(free_gpus);
}

int main(void) {
    char *line = NULL, *at;
    size_t room = 0;
    while (getline(&line, &room, stdin) > 0) {
        at = line;
        if (strstr(line, "\"type\":\"hello\"") != NULL) {
            puts("{\"type\":\"hello\",\"schema\":\"synergy-plugin/1\",\"name\":\"proportional-c\",\"promises\":[\"fair\"]}");
        } else if (strstr(line, "\"type\":\"cluster\"") != NULL) {
            servers = (long)number_after(&at, "\"count\":");
            server_gpus = (long)number_after(&at, "\"gpus\":");
        } else if (strstr(line, "\"type\":\"classes\"") != NULL) {
            long class = (long)number_after(&at, "\"first\":");
            while (class < MOST_CLASSES && strstr(at, "\"gpus\":") != NULL) {
                classes[class].gpus = (long)number_after(&at, "\"gpus\":");
                classes[class].cpus = number_after(&at, "\"shares\":[[");
                classes[class].memory_gb = strtod(at + 1, &at);
                class++;
            }
        } else {
            allocate(line);
        }
        fflush(stdout);
    }
    free(line);
    return 0;
}
