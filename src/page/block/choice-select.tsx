interface ChoiceSelectProps {
  name: string;
  options: readonly { key: string; label: string }[];
  chosen: string;
  choose: (key: string) => void;
}

/** One of several, by its name. */
export function ChoiceSelect({ name, options, chosen, choose }: ChoiceSelectProps) {
  return (
    <label>
      {name}{' '}
      <select value={chosen} onChange={(event) => choose(event.currentTarget.value)}>
        {options.map(({ key, label }) => (
          <option key={key} value={key}>
            {label}
          </option>
        ))}
      </select>
    </label>
  );
}
