import { clinic } from './clinic.ts';
import { helpDesk } from './help-desk.ts';
import { lettings } from './lettings.ts';
import { shop } from './shop.ts';

/** What the dialog of a new agent offers, in this order. They load with the first agent that begins from one. */
export const TEMPLATES = { shop, clinic, lettings, help_desk: helpDesk };
