for (const button of document.querySelectorAll('[data-copy]')) {
  button.addEventListener('click', () => {
    void navigator.clipboard.writeText(button.nextElementSibling.textContent).then(() => {
      button.textContent = 'Copied';
      return setTimeout(() => (button.textContent = 'Copy'), 1500);
    });
  });
}
