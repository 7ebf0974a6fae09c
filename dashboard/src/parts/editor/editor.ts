import { createContext, useContext } from 'react';
import type { AgentDefinition } from '../../../../contract/agents.ts';

/** What the parts of the editor share: the definition as it is being edited, and what the server said of it. */
export type Editor = {
  definition: AgentDefinition;
  change: (part: Partial<AgentDefinition>) => void;
  /** What is wrong at this JSON pointer below the definition; null: nothing. */
  fault: (pointer: string) => string | null;
  /** Whether something at this pointer or below it is wrong. */
  faulty: (pointer: string) => boolean;
  readOnly: boolean;
  /** Variables that texts may hold. */
  variables?: readonly string[];
};

export const EditorContext = createContext<Editor | null>(null);

export function useEditor(): Editor {
  const editor = useContext(EditorContext);
  if (!editor) throw new Error('Part of the editor outside of it.');
  return editor;
}
