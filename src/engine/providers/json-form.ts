import { jsonSchema, type JSONSchema7, Output } from 'ai';

/**
 * Asks the provider for JSON of this schema. The text stays as it is: who asked reads it, so that an unreadable answer
 * can be corrected.
 */
export const jsonForm = (schema: Record<string, unknown>): ReturnType<typeof Output.text> => ({
  ...Output.text(),
  responseFormat: Output.object({ schema: jsonSchema(schema as JSONSchema7) }).responseFormat,
});
