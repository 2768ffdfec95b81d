import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Pencil, Plus, Trash2 } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { change, remove, type SavedPrompt, savePrompt } from '../api/ai.ts'
import { loadBackend } from '../api/session.ts'
import { readyPrompts } from '../content/prompts.ts'
import { Button, IconButton } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { TextArea, TextField } from '../ui/Field.tsx'
import { Asked } from '../ui/Panel.tsx'
import { toast } from '../ui/toast.tsx'
import { useHidden } from './useHidden.ts'

type Props = { draft: string; onUse: (body: string) => void; onClose: () => void }

/** Prompts that are used again and again, kept under a name. */
export function PromptLibrary({ draft, onUse, onClose }: Props) {
  const queries = useQueryClient()
  const [search, setSearch] = useState('')
  const [editing, setEditing] = useState<Partial<SavedPrompt> | null>(null)
  const hidden = useHidden('ai_prompts', ['ai-prompts'])
  const prompts = useQuery({
    queryKey: ['ai-prompts'],
    queryFn: async () => {
      const { rest, rows } = await loadBackend()
      return rows<SavedPrompt[]>(rest.from('ai_prompts').select().order('updated_at', { ascending: false }))
    },
  })
  const fits = ({ title, body }: { title: string; body: string }) => `${title} ${body}`.toLowerCase().includes(search.toLowerCase())
  const found = prompts.data?.filter((prompt) => !hidden.has(prompt.id) && fits(prompt))
  const ready = readyPrompts.filter((prompt) => fits(prompt) && !prompts.data?.some(({ title }) => title === prompt.title))

  async function save(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    event.stopPropagation()
    const form = new FormData(event.currentTarget)
    const prompt = { title: String(form.get('title')).trim(), body: String(form.get('body')).trim() }
    try {
      await (editing?.id ? change('ai_prompts', editing.id, prompt) : savePrompt(prompt))
      await queries.invalidateQueries({ queryKey: ['ai-prompts'] })
      setEditing(null)
    } catch (error) {
      toast.error('The prompt was not saved', (error as Error).message)
    }
  }

  return (
    <Dialog open onClose={onClose} title="Prompt library" description="Prompts you use often." side="right">
      {editing ? (
        <form onSubmit={save} className="flex flex-col gap-4">
          <TextField label="Name" name="title" required maxLength={120} defaultValue={editing.title ?? ''} autoFocus />
          <TextArea label="Prompt" name="body" required maxLength={20_000} rows={8} defaultValue={editing.body ?? ''} />
          <div className="flex justify-end gap-2">
            <Button onClick={() => setEditing(null)}>Cancel</Button>
            <Button type="submit" variant="primary">
              Save prompt
            </Button>
          </div>
        </form>
      ) : (
        <div className="flex flex-col gap-4">
          <div className="flex flex-wrap items-center gap-2">
            <input
              type="search"
              aria-label="Search prompts"
              placeholder="Search"
              value={search}
              onChange={(event) => setSearch(event.target.value)}
              className="h-8 min-w-40 flex-1 rounded-control border border-control/70 bg-page px-2.5 text-13 max-md:h-11"
            />
            <Button onClick={() => setEditing({ body: draft })}>
              <Plus />
              {draft.trim() ? 'Save what I typed' : 'New prompt'}
            </Button>
          </div>
          <Asked query={prompts} skeleton="h-24" failed="Your prompts could not be loaded" />
          <section aria-labelledby="own-prompts">
            <h3 id="own-prompts" className="text-12 text-faint">
              Yours
            </h3>
            {found?.length === 0 ? (
              <p className="py-2 text-13 text-muted">
                {search ? 'No prompts match these words.' : 'Save a prompt once, then use it from every assistant here. Only you see it.'}
              </p>
            ) : null}
            <ul className="divide-y divide-line">
              {found?.map((prompt) => (
                <li key={prompt.id} className="flex items-start gap-1 py-1.5">
                  <Use prompt={prompt} onUse={onUse} />
                  <IconButton label={`Edit ${prompt.title}`} onClick={() => setEditing(prompt)}>
                    <Pencil />
                  </IconButton>
                  <IconButton
                    label={`Delete ${prompt.title}`}
                    onClick={() => hidden.removeSoon(prompt.id, `“${prompt.title}” deleted`, () => remove('ai_prompts', prompt.id))}
                  >
                    <Trash2 />
                  </IconButton>
                </li>
              ))}
            </ul>
          </section>
          {ready.length ? (
            <section aria-labelledby="ready-prompts">
              <h3 id="ready-prompts" className="text-12 text-faint">
                Suggested prompts
              </h3>
              <ul className="divide-y divide-line">
                {ready.map((prompt) => (
                  <li key={prompt.title} className="flex items-start gap-1 py-1.5">
                    <Use prompt={prompt} onUse={onUse} />
                    <IconButton
                      label={`Save a copy of ${prompt.title}`}
                      onClick={() => setEditing({ title: prompt.title, body: prompt.body })}
                    >
                      <Plus />
                    </IconButton>
                  </li>
                ))}
              </ul>
            </section>
          ) : null}
        </div>
      )}
    </Dialog>
  )
}

function Use({ prompt, onUse }: { prompt: { title: string; body: string }; onUse: (body: string) => void }) {
  return (
    <button
      type="button"
      onClick={() => onUse(prompt.body)}
      className="min-w-0 flex-1 rounded-control px-2 py-1.5 text-left hover:bg-raised"
    >
      <span className="block truncate text-13 font-medium">{prompt.title}</span>
      <span className="line-clamp-2 block text-12 text-muted">{prompt.body}</span>
    </button>
  )
}
