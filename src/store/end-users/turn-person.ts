/** The data of an end user that a turn, a first message or a survey needs. */
export type TurnPerson = {
  id: string;
  external_id: string | null;
  name: string | null;
  email: string | null;
  phone: string | null;
  locale: string | null;
  time_zone: string | null;
  attributes: Record<string, unknown>;
  consent: Record<string, { status?: string }>;
  blocked: boolean;
};

/** SQL that builds this object from the row `e` of `end_user`. */
export const turnPerson = (consent = 'e.consent'): string => `json_build_object('id', e.id,
  'external_id', e.external_id, 'name', e.name, 'email', e.email, 'phone', e.phone, 'locale', e.locale,
  'time_zone', e.time_zone, 'attributes', e.attributes, 'consent', ${consent}, 'blocked', e.blocked)`;
