import { expect, test } from 'vitest'
import { highlight } from './highlight.ts'

const said = (code: string, language: string) =>
  highlight(code, language)
    .filter(({ kind }) => kind)
    .map(({ text, kind }) => `${kind}: ${text}`)

test('strings, remarks, numbers and key words are told apart, and nothing is lost', () => {
  const code = "// a remark\nconst url = 'https://a.example' + 12\n/* open"
  expect(said(code, 'js')).toEqual(['comment: // a remark', 'word: const', "string: 'https://a.example'", 'number: 12', 'comment: /* open'])
  expect(
    highlight(code, 'js')
      .map(({ text }) => text)
      .join(''),
  ).toBe(code)
})

test('each language has its own remarks; plain text has none', () => {
  expect(said('select 1 -- all\nfrom t # no', 'sql')).toEqual(['word: select', 'number: 1', 'comment: -- all', 'word: from'])
  expect(said('# note\nx = "a # b"', 'python')).toEqual(['comment: # note', 'string: "a # b"'])
  expect(highlight('return "to sender"', 'text')).toEqual([{ text: 'return "to sender"' }])
})
