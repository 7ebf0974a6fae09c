import type { CallTool } from '../src/engine/providers/run-tool.ts';

/** Tools for workers whose agents call no tools. */
export const NO_TOOLS: CallTool = async () => {
  throw new Error('No tool is called here.');
};
