/* Turns fractional references per cell into whole references per bin. See cells.h. */
#include "profile/cells.h"

rd_status rdi_cells_count(const double *mass, uint64_t largest, uint64_t total, rdi_hist *out) {
    const size_t last = rdi_cell_of(largest);
    double sum = 0;
    uint64_t done = 0;
    for (size_t cell = 0; cell <= last && done < total; cell++) {
        sum += mass[cell];
        uint64_t upto = cell < last && sum < (double)total ? (uint64_t)(sum + 0.5) : total;
        uint64_t high = cell < last ? rdi_cell_high(cell) : largest;
        if (upto > done)
            RD_TRY(rdi_hist_add_evenly(out, rdi_cell_low(cell), high, upto - done));
        done = upto;
    }
    return RD_OK;
}
