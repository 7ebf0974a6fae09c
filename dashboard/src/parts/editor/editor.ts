import { createContext, useContext } from 'react';
import type { AgentDefinition } from '../../../../contract/agents.ts';

/** The parts of the editor share this state, which is the edited definition and the server's faults. */
export type Editor = {
  definition: AgentDefinition;
  change: (part: Partial<AgentDefinition>) => void;
  /** Returns the fault at this JSON pointer below the definition. Null if the pointer has no fault. */
  fault: (pointer: string) => string | null;
  /** Returns true if this pointer, or a pointer below it, has a fault. */
  faulty: (pointer: string) => boolean;
  readOnly: boolean;
  /** The variables that texts may contain. */
  variables?: readonly string[];
};

export const EditorContext = createContext<Editor | null>(null);

export function useEditor(): Editor {
  const editor = useContext(EditorContext);
  if (!editor) throw new Error('Part of the editor outside of it.');
  return editor;
}
