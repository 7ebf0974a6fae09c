import { expect, test } from 'vitest';
import { loadTraces } from './traces.ts';

const ENDPOINT = 'http://127.0.0.1:4318';
const load = (env: Record<string, string> = {}) => loadTraces({ OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT, ...env });
const faulty = (env: Record<string, string>) => load(env).faults.map(({ variable }) => variable);

test('without an endpoint there are no traces, and variables of other programs cause no fault', () => {
  const env = { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', OTEL_TRACES_SAMPLER: 'xray' };
  expect(loadTraces(env)).toEqual({ traces: null, faults: [] });
  expect(load({ ...env, OTEL_SDK_DISABLED: 'true' })).toEqual({ traces: null, faults: [] });
  expect(load({ ...env, OTEL_TRACES_EXPORTER: 'none' })).toEqual({ traces: null, faults: [] });
});

test('the defaults are those of OpenTelemetry, without content', () => {
  expect(load()).toEqual({
    traces: {
      url: `${ENDPOINT}/v1/traces`,
      headers: {},
      resource: { 'service.name': 'parley' },
      ratio: 1,
      followsParent: true,
      content: false,
      everyMs: 5_000,
    },
    faults: [],
  });
});

test('trace variables of OpenTelemetry have priority over its general ones', () => {
  const { traces } = load({
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces.example/in/here',
    OTEL_EXPORTER_OTLP_HEADERS: 'a=1',
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'authorization=Basic%20eDp5, x-two=%2C',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json',
    OTEL_SERVICE_NAME: 'support',
    OTEL_RESOURCE_ATTRIBUTES: 'service.name=other,deployment.environment.name=staging',
  });
  expect(traces).toMatchObject({
    url: 'https://traces.example/in/here',
    headers: { authorization: 'Basic eDp5', 'x-two': ',' },
    resource: { 'service.name': 'support', 'deployment.environment.name': 'staging' },
  });
});

test.each([
  ['always_on', 1, false],
  ['always_off', 0, false],
  ['parentbased_always_off', 0, true],
  ['traceidratio', 0.25, false],
  ['parentbased_traceidratio', 0.25, true],
])('the sampler setting %s', (sampler, ratio, followsParent) => {
  const { traces } = load({ OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: '0.25' });
  expect(traces).toMatchObject({ ratio, followsParent });
});

test('a fault names its variable and repeats no value', () => {
  expect(faulty({ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' })).toEqual(['OTEL_EXPORTER_OTLP_ENDPOINT']);
  expect(faulty({ OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf' })).toEqual(['OTEL_EXPORTER_OTLP_PROTOCOL']);
  expect(faulty({ OTEL_TRACES_SAMPLER: 'xray' })).toEqual(['OTEL_TRACES_SAMPLER']);
  expect(faulty({ OTEL_BSP_SCHEDULE_DELAY: '1' })).toEqual(['OTEL_BSP_SCHEDULE_DELAY']);
  const wrong = { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '7' };
  expect(faulty(wrong)).toEqual(['OTEL_TRACES_SAMPLER_ARG']);
  for (const headers of ['secret-value', 'a=%E0%A4%A', 'x=1%0d%0ay: 2']) {
    const { faults } = load({ OTEL_EXPORTER_OTLP_HEADERS: headers });
    expect(faults).toHaveLength(1);
    expect(JSON.stringify(faults)).not.toContain('secret-value');
  }
});
