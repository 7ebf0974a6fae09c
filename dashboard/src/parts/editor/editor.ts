import { createContext, useContext } from 'react';
import type { AgentDefinition } from '../../../../contract/agents.ts';

/** The shared state of the editor's parts: the edited definition, and the server's faults. */
export type Editor = {
  definition: AgentDefinition;
  change: (part: Partial<AgentDefinition>) => void;
  /** The fault at this JSON pointer below the definition. Null: no fault. */
  fault: (pointer: string) => string | null;
  /** True if there is a fault at this pointer or below it. */
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
