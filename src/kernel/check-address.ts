import { type Fault, Refusal } from '../../contract/problems.ts';
import { type Egress, EgressError } from './egress.ts';

/**
 * Judges an address on save by the rules for a call, which cover the scheme, the port, credentials, and every address
 * of its name. A name that does not resolve today is not a fault, because the address is judged again on every call.
 */
export async function addressFault(egress: Pick<Egress, 'check'>, pointer: string, url: string): Promise<Fault | null> {
  try {
    await egress.check(url);
    return null;
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    return error.code === 'egress_refused' ? { pointer, code: 'address_refused', detail: error.message } : null;
  }
}

/** The function throws `validation_failed` for an address that can never be called. */
export async function checkAddress(egress: Pick<Egress, 'check'>, pointer: string, url: string): Promise<void> {
  const fault = await addressFault(egress, pointer, url);
  if (fault !== null) throw new Refusal('validation_failed', undefined, { errors: [fault] });
}
