/**
 * The reason why Parley sends no message to a person on a kind of channel. Null if Parley may send. An opt-out is valid
 * for its kind of channel, and a block is valid for all kinds. All code that sends messages calls this function.
 */
export function reasonNotToSend(blocked: boolean, consent: string | null | undefined): 'blocked' | 'opted_out' | null {
  if (blocked) return 'blocked';
  return consent === 'opted_out' ? 'opted_out' : null;
}
