/* Reserves 3 ms in every 10 ms for itself at the scheduler that is named, and says when the reservation has ended. */
#include "../include/windfall.h"

int main(int count, char **words)
{
    char why[256];
    unsigned set = 0;
    int told = windfall_notices(why, sizeof why);
    if (told < 0 || windfall_reserve(3000000, 10000000, count > 1 ? words[1] : NULL, why, sizeof why) < 0) {
        fprintf(stderr, "%s\n", why);
        return 1;
    }
    puts("reserved");
    while (windfall_wait(told, &set) == 0)
        if (set & WINDFALL_RESERVATION_ENDED)
            return puts("ended") < 0;
    return 2;
}
