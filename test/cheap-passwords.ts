import crypto, { type ScryptOptions } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

/**
 * A password hash costs a tenth of a second of processor time by design, and the tests need about a thousand. In tests,
 * the same function runs at its lowest cost. The requested cost is recorded, and password-cost.test.ts checks it.
 */
type Done = (error: Error | null, key: Buffer) => void;
type Cheap = typeof crypto.scrypt & { asked?: ScryptOptions };

const real: Cheap = crypto.scrypt;
// One process runs many test files, and this setup runs before each of them.
if (!('asked' in real)) {
  const cheap = (password: string, salt: string, length: number, options: ScryptOptions, done: Done): void => {
    scrypt.asked = options;
    real(password, salt, length, { ...options, N: 2, r: 1 }, done);
  };
  const scrypt = Object.assign(cheap as Cheap, { asked: {} });
  Object.assign(crypto, { scrypt });
  syncBuiltinESMExports();
}

/** The requested cost of the last hash. Each value is returned only once. */
export function takeAskedCost(): ScryptOptions | undefined {
  const scrypt: Cheap = crypto.scrypt;
  const { asked } = scrypt;
  scrypt.asked = undefined;
  return asked;
}
