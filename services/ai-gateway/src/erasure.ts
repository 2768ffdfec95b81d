import { anonymiseRows, deleteRows, type Eraser, NOBODY } from '@operon/kit/erasure'
import { WHOLE_ROW } from '@operon/kit/personal-data'
import type { AiDb } from './schema.ts'

/** Conversations go with the person; usage stays as numbers without the person, for the month's costs. */
export const erasure: Eraser<AiDb> = {
  // Messages before their conversations, which would take all of theirs along at once.
  long: [
    { table: 'ai_messages' },
    ...['ai_conversations', 'ai_comparisons', 'ai_prompts', 'ai_actions', 'ai_approvals', 'ai_memories'].map((table) => ({ table })),
    { table: 'ai_usage', becomes: NOBODY },
  ],
  erase: async (trx, userId) => ({
    deleted: await deleteRows(
      trx,
      [
        'ai_conversations',
        'ai_comparisons',
        'ai_prompts',
        'ai_actions',
        'ai_approvals',
        'ai_memories',
        'ai_memory_off',
        'ai_connections',
        'ai_keys',
        'ai_key_use',
        'ai_usage_days',
        'ai_written',
      ],
      userId,
    ),
    anonymised: await anonymiseRows(trx, ['ai_usage'], userId),
  }),
  holds: [
    { table: 'ai_conversations' },
    { table: 'ai_messages' },
    { table: 'ai_comparisons' },
    { table: 'ai_prompts' },
    { table: 'ai_actions' },
    { table: 'ai_approvals', without: ['hash', 'asked_key'] },
    { table: 'ai_memories' },
    { table: 'ai_memory_off', key: null },
    { table: 'ai_connections', key: null },
    { table: 'ai_usage' },
    { table: 'ai_usage_days', key: WHOLE_ROW },
    { table: 'ai_written', key: null },
    { table: 'ai_keys', without: ['hash'] },
    { table: 'ai_key_use', key: 'key_id' },
  ],
}
