import { CellPool } from '../src/store/cells/cell-pool.ts';

/**
 * With TEST_CELLS, every organization of a test is in this cell (global-setup.ts). Statements of tests that name no
 * organization run in the cell of TEST_CELLS too.
 */
const cell = process.env.TEST_CELLS;
if (cell) Object.defineProperty(CellPool.prototype, 'cell', { get: () => cell });
