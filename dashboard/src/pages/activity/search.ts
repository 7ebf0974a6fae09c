import { momentIn, oneOfIn, textIn, type RawSearch } from '../../list/read-search.ts';
import { readDeliverySearch, type DeliverySearch } from '../../parts/event-deliveries/search.ts';

export const ACTIVITY_TABS = ['requests', 'deliveries', 'audit'] as const;
export type ActivityTab = (typeof ACTIVITY_TABS)[number];
/** A copy of the contract's list, because an import would also load the schemas in that file. */
export const AUDIT_FORMATS = ['csv', 'jsonl'] as const;
export const OUTCOMES = ['accepted', 'refused', 'failed'] as const;
export type Outcome = (typeof OUTCOMES)[number];

export type RequestFilters = {
  id?: string;
  key_id?: string;
  call?: string;
  outcome?: Outcome;
  since?: string;
  until?: string;
};
export type ActivitySearch = RequestFilters &
  DeliverySearch & {
    tab?: ActivityTab;
    /** The ID of the request whose details are open. */
    request?: string;
    actor?: string;
    subject_id?: string;
    cursor?: string;
  };

export const readActivitySearch = (raw: RawSearch): ActivitySearch => {
  const actor = textIn(raw, 'actor')?.slice(0, 64);
  const subject_id = textIn(raw, 'subject_id')?.slice(0, 64);
  return {
    ...readDeliverySearch(raw),
    // Links that are older than the tabs open the audit log.
    tab: oneOfIn(raw, 'tab', ACTIVITY_TABS) ?? (actor || subject_id ? 'audit' : undefined),
    actor,
    subject_id,
    id: textIn(raw, 'id')?.slice(0, 64),
    key_id: idIn(raw, 'key_id', 'key'),
    call: textIn(raw, 'call')?.slice(0, 200),
    outcome: oneOfIn(raw, 'outcome', OUTCOMES),
    since: momentIn(raw, 'since'),
    until: momentIn(raw, 'until'),
    request: idIn(raw, 'request', 'req'),
    cursor: textIn(raw, 'cursor'),
  };
};

/** True if the server accepts the text as an ID. Other texts would never match a record. */
export const isRequestId = (text: string): boolean => looksLike('req', text);

const looksLike = (prefix: string, text: string): boolean =>
  new RegExp(`^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`).test(text);

function idIn(raw: RawSearch, name: string, prefix: string): string | undefined {
  const text = textIn(raw, name);
  return text !== undefined && looksLike(prefix, text) ? text : undefined;
}
