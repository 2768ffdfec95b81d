import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Pencil, Plus, Trash2 } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { change, remove, type SavedPrompt, savePrompt } from '../../api/ai.ts'
import { loadBackend } from '../../api/session.ts'
import { Button, IconButton } from '../Button.tsx'
import { Dialog } from '../Dialog.tsx'
import { TextArea, TextField } from '../Field.tsx'
import { EmptyState, ErrorState, Skeleton } from '../Panel.tsx'
import { toast } from '../toast.tsx'
import { useHidden } from './useHidden.ts'

type Props = { draft: string; onUse: (body: string) => void; onClose: () => void }

/** What is asked again and again, kept under a name. */
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
  const found = prompts.data?.filter(
    ({ id, title, body }) => !hidden.has(id) && `${title} ${body}`.toLowerCase().includes(search.toLowerCase()),
  )

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
    <Dialog open onClose={onClose} title="Prompt library" description="Prompts you use again. Only you see them." side="right">
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
          <div className="flex items-end gap-2">
            <TextField
              label="Search"
              type="search"
              value={search}
              onChange={(event) => setSearch(event.target.value)}
              fieldClassName="flex-1"
            />
            <Button onClick={() => setEditing({ body: draft })}>
              <Plus />
              {draft.trim() ? 'Save what I typed' : 'New prompt'}
            </Button>
          </div>
          {prompts.isPending ? <Skeleton className="h-24" /> : null}
          {prompts.isError ? (
            <ErrorState title="Your prompts could not be loaded" error={prompts.error} retry={() => prompts.refetch()} />
          ) : null}
          {found?.length === 0 ? (
            <EmptyState compact title={search ? 'No prompt has these words' : 'No prompts yet'}>
              {search ? 'Try other words.' : 'Save a prompt once, then use it from every assistant here.'}
            </EmptyState>
          ) : null}
          <ul className="flex flex-col divide-y divide-line">
            {found?.map((prompt) => (
              <li key={prompt.id} className="flex items-start gap-1 py-1.5">
                <button
                  type="button"
                  onClick={() => onUse(prompt.body)}
                  className="min-w-0 flex-1 rounded-control px-2 py-1.5 text-left hover:bg-raised"
                >
                  <span className="block truncate text-13 font-medium">{prompt.title}</span>
                  <span className="line-clamp-2 block text-12 text-muted">{prompt.body}</span>
                </button>
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
        </div>
      )}
    </Dialog>
  )
}
