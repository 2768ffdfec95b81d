import { z } from 'zod'
import { changing, col, id, oneLine, reading, time } from '../contract.ts'

/** How many boards an account has at most. */
export const MOST_BOARDS = 100

/** A board with more images says that it has more. */
export const MOST_COUNTED = 101

const board = z.object({ board_id: id('board') })
const BoardName = oneLine(80).min(1)
export const Board = z.object({
  id: id('board'),
  name: z.string(),
  /** Up to 101, which means more than 100. */
  pictures: z.int(),
  /** The newest picture on it, small; an address good for an hour at least. */
  cover_url: z.string().nullable(),
  created_at: time,
})
const example = {
  id: '0199b1a2-7c00-7000-8000-000000000002',
  name: 'Spring campaign',
  pictures: 4,
  cover_url: null,
  created_at: '2026-11-24T10:00:00.000Z',
}

export const listBoards = reading('list-boards', {
  summary: 'The boards that an account sorts its images on, by name',
  description: 'Each with the number of its images.',
  body: z.object({}).prefault({}),
  reply: z.object({ boards: z.array(Board) }),
  example: { request: {}, reply: { boards: [example] } },
  errors: [],
  action: {
    title: 'List image boards',
    when: 'The person asks which boards they sort their images on',
    effect: 'reads',
    evidence: { rows: 'boards', columns: { name: col.text('Board'), pictures: col.count('Images') } },
  },
})
export const restoreBoard = changing('restore-board', {
  summary: 'Brings a deleted board back within a day, with the images that were on it',
  body: board,
  reply: z.object({ restored: z.boolean() }),
  errors: ['board_exists', 'too_many_boards'],
})
export const deleteBoard = changing('delete-board', {
  summary: 'Deletes a board; its images stay in the gallery',
  description: 'It can be brought back for a day.',
  body: board,
  reply: z.object({ deleted: z.boolean(), board_id: id('board') }),
  example: { request: { board_id: example.id }, reply: { deleted: true, board_id: example.id } },
  errors: [],
  action: {
    title: 'Delete an image board',
    when: 'The person asks to delete a board of their images',
    effect: 'destroys',
    does: () => 'Deletes the board. Its images stay in the gallery',
  },
})
export const createBoard = changing('create-board', {
  summary: 'Makes a board to sort images on',
  description: 'It is empty: `put-on-board` puts images on it.',
  body: z.object({ name: BoardName }),
  reply: Board.extend({ board_id: id('board') }),
  example: { request: { name: 'Spring campaign' }, reply: { ...example, pictures: 0, board_id: example.id } },
  errors: ['board_exists', 'too_many_boards'],
  action: {
    title: 'Make an image board',
    when: 'The person wants a board, folder or collection for their images',
    effect: 'changes',
    does: ({ name }) => `Makes a board “${name}” for your images.`,
    undo: { contract: deleteBoard, seconds: 600 },
  },
})
export const renameBoard = changing('rename-board', {
  summary: 'Gives a board another name',
  body: board.extend({ name: BoardName }),
  reply: z.object({ name: z.string() }),
  errors: ['not_found', 'board_exists'],
})
export const putOnBoard = changing('put-on-board', {
  summary: 'Puts an image on a board, or takes it off',
  description: 'An image may be on several boards.',
  body: board.extend({ picture_id: id('picture'), on: z.boolean().default(true) }),
  reply: z.object({ on: z.boolean() }),
  errors: ['not_found'],
})
export const boardsOfImage = reading('boards-of-image', {
  summary: 'The boards that an image is on',
  body: z.object({ picture_id: id('picture') }),
  reply: z.object({ board_ids: z.array(z.uuid()) }),
})
