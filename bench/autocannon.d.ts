/** The package `autocannon` has no types, so the following declarations describe the parts that we use. */
declare module 'autocannon' {
  namespace autocannon {
    type Request = { method?: string; headers?: Record<string, string>; body?: string };
    type Options = {
      url: string;
      connections: number;
      duration: number;
      requests: (Request & { setupRequest?: (request: Request) => Request })[];
    };
    type Result = {
      duration: number;
      requests: { total: number };
      latency: { p50: number; p99: number };
      '2xx': number;
      non2xx: number;
      errors: number;
      timeouts: number;
    };
  }
  function autocannon(options: autocannon.Options): Promise<autocannon.Result>;
  export default autocannon;
}
