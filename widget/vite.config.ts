import path from 'node:path';
import { defineConfig } from 'vite';

/**
 * The build is one classic script, because only a classic script knows its own URL (document.currentScript). A page
 * then needs only one tag.
 */
export default defineConfig({
  root: import.meta.dirname,
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: ['chrome111', 'firefox114', 'safari16.4'],
    modulePreload: false,
    rolldownOptions: {
      input: path.join(import.meta.dirname, 'src', 'main.ts'),
      output: { format: 'iife', entryFileNames: 'widget.js' },
    },
  },
});
