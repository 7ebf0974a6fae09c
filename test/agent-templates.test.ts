import { expect } from 'vitest';
import { startOf } from '../dashboard/src/pages/agents/templates/template.ts';
import { TEMPLATES } from '../dashboard/src/pages/agents/templates/templates.ts';
import { inShop } from './shop.ts';

/** An agent from a template answers well immediately, without a model. Its own tests prove it. */
const ALL = Object.entries(TEMPLATES).flatMap(([name, template]) =>
  (['en', 'ar'] as const).map((language) => [name, language, startOf(template, language)] as const),
);

inShop.for(ALL)('the template %s (%s) passes its own tests', async ([, , start], { call, at, newAgent }) => {
  const { id } = await newAgent(start.definition);
  for (const document of start.documents)
    expect((await call(`POST ${at}/agents/${id}/documents`, document)).status).toBe(201);
  expect((await call(`PUT ${at}/agents/${id}/suite`, { cases: start.cases })).status).toBe(200);
  expect(start.cases.length).toBeGreaterThan(2);
  for (const one of start.cases) {
    const { status, body } = await call(`POST ${at}/agents/${id}/test`, { case: one });
    expect(status, JSON.stringify(body)).toBe(200);
    expect(
      body.turns.filter(({ faults }: { faults: unknown[] }) => faults.length > 0),
      one.name,
    ).toEqual([]);
  }
});

inShop('each template says the same in both languages', () => {
  for (const template of Object.values(TEMPLATES)) {
    expect(template.cases.ar.length).toBe(template.cases.en.length);
    expect(template.documents.ar.length).toBe(template.documents.en.length);
  }
});
