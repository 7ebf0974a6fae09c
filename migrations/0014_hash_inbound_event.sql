-- Ids of providers may hold an address of somebody: only their hash is kept.
UPDATE inbound_event SET event_id = encode(sha256(convert_to(event_id, 'UTF8')), 'hex');
