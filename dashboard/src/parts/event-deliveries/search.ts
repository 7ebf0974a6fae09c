import {
  EVENT_DELIVERY_STATES,
  EVENT_TYPES,
  TEST_EVENT_TYPE,
  type EventDeliveryState,
} from '../../../../contract/event-types.ts';
import { oneOfIn, textIn, type RawSearch } from '../../list/read-search.ts';

export const DELIVERED_TYPES = [...EVENT_TYPES, TEST_EVENT_TYPE] as const;

/** The search parameters of a list of deliveries. */
export type DeliverySearch = {
  endpoint_id?: string;
  type?: (typeof DELIVERED_TYPES)[number];
  state?: EventDeliveryState;
  /** The open delivery, as the IDs of event and endpoint. */
  delivery?: string;
  cursor?: string;
};

export const readDeliverySearch = (raw: RawSearch): DeliverySearch => ({
  endpoint_id: idIn(raw, 'endpoint_id'),
  type: oneOfIn(raw, 'type', DELIVERED_TYPES),
  state: oneOfIn(raw, 'state', EVENT_DELIVERY_STATES),
  delivery: PLACE.test(textIn(raw, 'delivery') ?? '') ? textIn(raw, 'delivery') : undefined,
  cursor: textIn(raw, 'cursor'),
});

const SUFFIX = '[0-7][0-9a-hjkmnp-tv-z]{25}';
const PLACE = new RegExp(`^evt_${SUFFIX}\\.whk_${SUFFIX}$`);

function idIn(raw: RawSearch, name: string): string | undefined {
  const text = textIn(raw, name);
  return text !== undefined && new RegExp(`^whk_${SUFFIX}$`).test(text) ? text : undefined;
}
