/**
 * Why Parley sends no message to a person on a kind of channel; null: it may send. An opt-out counts for its kind of
 * channel, a block for all. Every place that sends calls this.
 */
export function whySilent(blocked: boolean, consent: string | null | undefined): 'blocked' | 'opted_out' | null {
  if (blocked) return 'blocked';
  return consent === 'opted_out' ? 'opted_out' : null;
}
