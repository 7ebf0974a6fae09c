import type { LocalizedText } from '../../../contract/agents.ts';
import type { Db } from '../../store/db.ts';

/** The dependencies of the verbs in this folder. */
export type SavedRepliesDeps = {
  db: Db;
  /** Why a text is no template; null when it is one. */
  faults: { template(text: string): string | null };
  /** The templates of agents and campaigns. */
  templates: {
    choose(text: LocalizedText, locale: string | null): string | null;
    /** `empty` gets the names without a value and without a fallback. */
    render(template: string, variables: Readonly<Record<string, unknown>>, empty?: Set<string>): string;
  };
};
