import type { ComponentChildren } from 'preact';

/** A name above what it names, which has this id. */
export function Field({ id, name, children }: { id: string; name: string; children: ComponentChildren }) {
  return (
    <div class="field">
      <label for={id}>{name}</label>
      {children}
    </div>
  );
}

interface SelectProps {
  id: string;
  name: string;
  value: string;
  options: readonly { value: string; text: string }[];
  choose: (value: string) => void;
}

export function Select({ id, name, value, options, choose }: SelectProps) {
  return (
    <Field id={id} name={name}>
      <select id={id} value={value} onChange={({ currentTarget }) => choose(currentTarget.value)}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.text}
          </option>
        ))}
      </select>
    </Field>
  );
}
