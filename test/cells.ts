import { CellPool } from '../src/store/cells/cell-pool.ts';

/**
 * With TEST_CELLS=1, every organization of a test is in a second cell (global-setup.ts). Statements of tests that name
 * no organization run there too.
 */
if (process.env.TEST_CELLS) Object.defineProperty(CellPool.prototype, 'cell', { get: () => 'cell_2' });
