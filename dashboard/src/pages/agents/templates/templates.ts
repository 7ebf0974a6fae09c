import { clinic } from './clinic.ts';
import { helpDesk } from './help-desk.ts';
import { lettings } from './lettings.ts';
import { shop } from './shop.ts';

/**
 * The templates in the dialog for a new agent, in the order of the dialog. The templates load when the first agent is
 * created from a template.
 */
export const TEMPLATES = { shop, clinic, lettings, help_desk: helpDesk };
