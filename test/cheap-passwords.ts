import crypto, { type ScryptOptions } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

/**
 * A password hash costs a tenth of a second of processor time by design, and the tests need about a thousand. In tests,
 * the function that hashes passwords runs at its lowest cost. The tests record the requested cost, and
 * password-cost.test.ts checks this value.
 */
type Done = (error: Error | null, key: Buffer) => void;
type Cheap = typeof crypto.scrypt & { asked?: ScryptOptions };

const real: Cheap = crypto.scrypt;
// One process runs many test files, and this setup runs before each file.
if (!('asked' in real)) {
  const cheap = (password: string, salt: string, length: number, options: ScryptOptions, done: Done): void => {
    scrypt.asked = options;
    real(password, salt, length, { ...options, N: 2, r: 1 }, done);
  };
  const scrypt = Object.assign(cheap as Cheap, { asked: {} });
  Object.assign(crypto, { scrypt });
  syncBuiltinESMExports();
}

/** Returns the requested cost of the last hash, but returns each cost only once. */
export function takeAskedCost(): ScryptOptions | undefined {
  const scrypt: Cheap = crypto.scrypt;
  const { asked } = scrypt;
  scrypt.asked = undefined;
  return asked;
}
