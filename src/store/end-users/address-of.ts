import { kindsBy, type PersonField } from '../../../contract/channel-kinds.ts';

const listed = (field: PersonField): string =>
  kindsBy(field)
    .map((kind) => `'${kind}'`)
    .join(', ');

/** SQL for the address in the record of end user `e` for a kind of channel. Null if the record has no address. */
export const addressOf = (kind: string): string =>
  `CASE WHEN ${kind} IN (${listed('email')}) THEN e.email WHEN ${kind} IN (${listed('phone')}) THEN e.phone END`;
