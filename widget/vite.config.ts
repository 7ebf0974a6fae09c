import path from 'node:path';
import { defineConfig } from 'vite';

/** One classic script: only such a script knows its own address (document.currentScript), and one tag is all a page needs. */
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
